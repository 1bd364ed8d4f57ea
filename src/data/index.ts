export { backup, restore } from "./backup.ts";
export { copy } from "./copy.ts";
export { exportPets } from "./export.ts";
export { endings, formats, readStatuses } from "./formats.ts";
export { importPets } from "./import.ts";
export { openInput } from "./input.ts";
export { checkInput } from "./input-check.ts";
export { check } from "./integrity-check.ts";
export type { Inventory } from "./inventory.ts";
