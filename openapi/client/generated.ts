// Generated from openapi/petstore.yaml by "npm run generate". Do not edit.
export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List animals
         * @description Returns animals in order of id, a page at a time. Where more follow, the header `Link`
         *     gives the address of the next page with `rel="next"`: follow it as it is.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Add an animal
         * @description Adds an animal and returns it with the id that the service assigned. An answered 201 is
         *     durable. With an `Idempotency-Key`, a call whose answer was lost can be sent again safely.
         */
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets/{petId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Get an animal
         * @deprecated
         * @description Returns one animal. Deprecated: it is removed on 5 December 2030. Use `listPets` with the
         *     `status` filter instead.
         */
        get: operations["getPet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /**
         * Format: int64
         * @description A 64-bit integer, exact over its whole range.
         */
        Id: bigint;
        /**
         * @description Whether the animal can be bought.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /**
         * @description An animal to add.
         * @example {
         *       "name": "Rex",
         *       "categoryId": 7,
         *       "status": "available"
         *     }
         */
        NewPet: {
            /**
             * text of Unicode without NUL (U+0000)
             * @description The animal's name. Any text of Unicode but NUL (U+0000).
             */
            name: string;
            /**
             * Format: int64
             * @description The id of the category that the animal belongs to.
             */
            categoryId: bigint;
            status?: components["schemas"]["PetStatus"];
        };
        /**
         * @description An animal of the store.
         * @example {
         *       "id": 1,
         *       "name": "Rex",
         *       "categoryId": 7,
         *       "status": "available"
         *     }
         */
        Pet: {
            /**
             * Format: int64
             * @description The unique identifier, assigned by the service on creation.
             */
            id: bigint;
            /**
             * text of Unicode without NUL (U+0000)
             * @description The animal's name. Any text of Unicode but NUL (U+0000).
             */
            name: string;
            /**
             * Format: int64
             * @description The id of the category that the animal belongs to.
             */
            categoryId: bigint;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description Animals in order of id. */
        Pets: components["schemas"]["Pet"][];
        /**
         * @description What every failure looks like.
         * @example {
         *       "code": "pet_not_found",
         *       "message": "No pet has the id 42.",
         *       "status": 404
         *     }
         */
        Error: {
            /** @description What went wrong, for programs. A later version may add codes. */
            code: string;
            /** @description What went wrong, for people. The text may change. */
            message: string;
            /**
             * Format: int32
             * @description The HTTP status code of the response.
             */
            status: number;
        };
    };
    responses: {
        /** @description The request is malformed, or a parameter or the body is not as described. */
        BadRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The credential is missing or invalid. */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description There is no such animal. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The path does not have this method. `Allow` names those that it has. */
        MethodNotAllowed: {
            headers: {
                Allow: components["headers"]["Allow"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is larger than is accepted. */
        ContentTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is not of a media type that the operation accepts. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The Idempotency-Key was used before, with another body. */
        UnprocessableContent: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description More requests than the quota of the key allows, or too many wrong keys from the address. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description A fault of the service. It is logged under the request id. */
        InternalError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The service can't answer now. Try again after the time in `Retry-After`. An animal may have been added
         *     all the same: so send it again with the same `Idempotency-Key`.
         */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The store contains the maximum number of pets. No pet was created. Do not retry. */
        InsufficientStorage: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other failure, such as a request that took too long (408) or headers that are too large (431). */
        Failure: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                Link: components["headers"]["Link"];
                Deprecation: components["headers"]["Deprecation"];
                Sunset: components["headers"]["Sunset"];
                RateLimit: components["headers"]["RateLimit"];
                "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /**
         * @description The id under which the service logged this request. Name it in a question about it.
         * @example 3f1c0b1e-8f5c-4a37-9a53-0c1b6c1d2e4f
         */
        "X-Request-Id": string;
        /**
         * @description Related addresses (RFC 8288): `rel="next"`, the next page of a list; `rel="deprecation"`
         *     and `rel="successor-version"` on answers of a deprecated operation; `rel="service-desc"` and
         *     `rel="service-doc"` (RFC 8631) on failures.
         * @example </v1/pets?limit=20&cursor=AAAAAAAAABS9hXo2Zc0fQ1v7mJ4kTe8y>; rel="next"
         */
        Link: string;
        /**
         * @description Since when the operation is deprecated (RFC 9745), only where it is.
         * @example @1795132800
         */
        Deprecation: string;
        /**
         * @description When the operation will be removed (RFC 8594), only where that is planned.
         * @example Thu, 05 Dec 2030 00:00:00 GMT
         */
        Sunset: string;
        /**
         * @description How to authenticate (RFC 6750).
         * @example Bearer realm="petstore"
         */
        "WWW-Authenticate": string;
        /**
         * @description The methods that the path has (RFC 9110).
         * @example GET, HEAD, POST
         */
        Allow: string;
        /**
         * @description What is left of a quota (draft-ietf-httpapi-ratelimit-headers-10): its name, `r`, how many calls
         *     are left, and `t`, after how many seconds there are as many as before. Only where there is one.
         * @example "calls";r=57;t=12
         */
        RateLimit: string;
        /**
         * @description A quota (draft-ietf-httpapi-ratelimit-headers-10): its name, `q`, how many calls it allows, and
         *     `w`, in how many seconds. `calls` is that of a key, where there is one; `failed-credentials`,
         *     on 401 and 429, is that of an address for wrong keys.
         * @example "calls";q=100;w=60
         */
        "RateLimit-Policy": string;
        /**
         * @description After how many seconds to try again (RFC 9110).
         * @example 1
         */
        "Retry-After": number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /** @description The maximum number of animals returned. */
                limit?: number;
                /** @description Returns only animals with that status. */
                status?: components["schemas"]["PetStatus"];
                /**
                 * @description Where the page begins. Opaque: it comes from the `Link` header of the page before, and
                 *     is valid only with the filter that it was made for.
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animals, an array in order of id. It is empty where none matches. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description A value that the client makes up for this animal, a UUID for example. The same key and
                 *     body from the same caller within 24 hours get the first answer again and make one
                 *     animal; the same key with another body is refused with 422. The value may be quoted.
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The animal to add. At most 65,536 bytes of UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The animal was added. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableContent"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            507: components["responses"]["InsufficientStorage"];
            default: components["responses"]["Failure"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The id of the animal to retrieve.
                 * @example 1
                 */
                petId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The animal. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    Link: components["headers"]["Link"];
                    Deprecation: components["headers"]["Deprecation"];
                    Sunset: components["headers"]["Sunset"];
                    RateLimit: components["headers"]["RateLimit"];
                    "RateLimit-Policy": components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            400: components["responses"]["BadRequest"];
            401: components["responses"]["Unauthorized"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalError"];
            503: components["responses"]["Unavailable"];
            default: components["responses"]["Failure"];
        };
    };
}

/** The names of all int64 fields. */
export const int64Fields: ReadonlySet<string> = new Set(["categoryId","id"]);

/** The operations that accept an Idempotency-Key. */
export const idempotentOperations: ReadonlySet<string> = new Set(["POST /pets"]);

/** The path at the end of every base URL of the service. */
export const basePath = "/v1";
