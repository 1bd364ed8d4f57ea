// How problems of a document are reported.

/**
 * Called with a part of the document that would not be enforced. Either throws an Error, or returns to serve the rest. For
 * an operation, the reason completes the sentence "The operation getBook …".
 */
export type Report = (reason: string) => void;
