// Without types: those of preact need a type of each component.
declare module "preact";
declare module "preact/hooks";
