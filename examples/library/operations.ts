// Generated from examples/library/library.yaml by "npm run generate". Do not edit.
export interface paths {
    "/books": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listBooks"];
        put?: never;
        post: operations["addBook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/books/{bookId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getBook"];
        put: operations["replaceBook"];
        post?: never;
        /** @deprecated */
        delete: operations["removeBook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        NewBook: {
            title: string;
            author: string;
            /** @default 1 */
            copies: number;
        };
        Book: {
            /** Format: int64 */
            id: bigint;
            title: string;
            author: string;
            copies: number;
        };
        Error: {
            code: string;
            message: string;
            status: number;
        };
    };
    responses: {
        /** @description A failure. */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: {
        BookId: bigint;
    };
    requestBodies: {
        Book: {
            content: {
                "application/json": components["schemas"]["NewBook"];
            };
        };
    };
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBooks: {
        parameters: {
            query: {
                author?: string;
                limit: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Books in order of id. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Book"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    addBook: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Book"];
        responses: {
            /** @description The book was added. */
            201: {
                headers: {
                    Location?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Book"];
                };
            };
            409: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    getBook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                bookId: components["parameters"]["BookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The book. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Book"];
                };
            };
            404: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    replaceBook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                bookId: components["parameters"]["BookId"];
            };
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Book"];
        responses: {
            /** @description The book was replaced. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Book"];
                };
            };
            404: components["responses"]["Failure"];
            409: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    removeBook: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                bookId: components["parameters"]["BookId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The book was removed. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
}

/**
 * The types of the operations, for the option `types` of createServer, which compares the hash with its document. With a store, only
 * the operations with `handler: "required"` need one.
 */
export const types: { readonly hash: string; readonly operations?: operations } = { hash: "9a059b890d64568396d9941615d7509b" };
/** The records of a store, by the names of their collections: `openStore<collections>(url)`. */
export interface collections {
  "books": components["schemas"]["Book"];
}
