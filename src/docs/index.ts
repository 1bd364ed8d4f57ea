export { docs } from "./docs.ts";
