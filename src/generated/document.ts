// Generated from openapi/petstore.yaml by "npm run generate". Do not edit.
/** The SHA-256 of the document from which the types were generated. The generator has validated that document. */
export const documentHash = "2f9f41b97bae338bc2bde8067932b6e440e217ec462a89c1c79662bf9c2703c3";

/** The hash of the types of that document without the values of enums, with which those of an edited one are compared. */
export const typesHash = "80997800fe6089a6654f3016e13ddcf2";
