// Generated from openapi/petstore.yaml by "npm run generate". Do not edit.
import type { IntegerMap } from "./exact-integers.ts";

export interface paths {
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * List pets
         * @description Returns a page of pets, ordered by id. If another page follows, the `Link` header contains its URL with
         *     `rel="next"`. `rel="prev"` leads to the previous page, and `rel="first"` to the first one. Do not change the cursor in these URLs.
         *     Send the `ETag` of a page in `If-None-Match` to get 304 while the page is the same.
         */
        get: operations["listPets"];
        put?: never;
        /**
         * Create a pet
         * @description Creates a pet and returns it with its id, which the service assigns. The pet is durably stored before the
         *     service responds with 201. To retry safely after a lost response, send an `Idempotency-Key`.
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
         * Get a pet
         * @deprecated
         * @description Returns one pet. This operation is deprecated, and will be removed on 5 December 2030. Use `listPets` with
         *     the `status` filter instead. `listPets` has no filter for ids: read all pages, and select the pet by its `id`.
         *     Send the `ETag` of the pet in `If-None-Match` to get 304 while it is the same.
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
         * @description A 64-bit integer.
         */
        Id: bigint;
        /**
         * @description The availability of the pet.
         * @enum {string}
         */
        PetStatus: "available" | "pending" | "sold";
        /**
         * @description A pet to create.
         * @example {
         *       "name": "Rex",
         *       "categoryId": 7,
         *       "status": "available"
         *     }
         */
        NewPet: {
            /**
             * Unicode text without NUL (U+0000)
             * @description The name of the pet.
             */
            name: string;
            /**
             * Format: int64
             * @description Id of the category of the pet.
             */
            categoryId: bigint;
            status?: components["schemas"]["PetStatus"];
        };
        /**
         * @description A pet.
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
             * @description Unique identifier assigned by the service on creation; never supplied by the client.
             */
            id: bigint;
            /**
             * Unicode text without NUL (U+0000)
             * @description The name of the pet.
             */
            name: string;
            /**
             * Format: int64
             * @description Id of the category of the pet.
             */
            categoryId: bigint;
            status?: components["schemas"]["PetStatus"];
        };
        /** @description Pets, ordered by id. */
        Pets: components["schemas"]["Pet"][];
        /**
         * @description An error response.
         * @example {
         *       "code": "pet_not_found",
         *       "message": "No pet has the id 42.",
         *       "status": 404
         *     }
         */
        Error: {
            /** @description Machine-readable error code. Later versions can add codes. */
            code: string;
            /** @description Human-readable description. Its wording can change. */
            message: string;
            /**
             * Format: int32
             * @description The HTTP status code of the response.
             */
            status: number;
            /** @description The invalid parts of the request. Only errors with the code `invalid_parameter` or `invalid_body` have details. */
            details?: components["schemas"]["ErrorDetail"][];
        };
        /**
         * @description An invalid part of a request.
         * @example {
         *       "location": "query",
         *       "name": "limit",
         *       "message": "The query parameter 'limit' must be at most 100."
         *     }
         */
        ErrorDetail: {
            /**
             * @description The location of the part.
             * @enum {string}
             */
            location: "path" | "query" | "header" | "cookie" | "body";
            /** @description The name of a parameter, or the path of a field of the body, such as `name`. Empty for the whole body. */
            name: string;
            /** @description Human-readable description. Its wording can change. */
            message: string;
        };
    };
    responses: {
        /** @description The client has this content already. `If-None-Match` has its ETag, or `*`. */
        NotModified: {
            headers: {
                ETag: components["headers"]["ETag"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The API key is missing, unknown, expired or revoked. */
        Unauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The path does not support the method. `Allow` lists the supported methods. */
        MethodNotAllowed: {
            headers: {
                Allow: components["headers"]["Allow"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description `If-Match` does not have the ETag of the resource, or the operation can't evaluate `If-Match` or `If-None-Match`. Send
         *     the request without the header that `message` names.
         */
        PreconditionFailed: {
            headers: {
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key exceeded its rate limit, or too many authentications from the address failed. */
        TooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An unexpected error. The service logs it with the id in `X-Request-Id`. */
        InternalError: {
            headers: {
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The service is temporarily unavailable or overloaded. Wait for the seconds in `Retry-After` before you retry.
         *     If you called `createPet`, the pet may have been created. Retry with the same `Idempotency-Key`.
         */
        Unavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other error of HTTP (408, 431 or 501). */
        Failure: {
            headers: {
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The body is too large, or arrives in more than 1,024 parts. */
        ContentTooLarge: {
            headers: {
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /**
         * @description The operation does not support the media type, the charset or the content coding of the body. For an unsupported
         *     media type, `Accept-Post` lists the supported ones.
         */
        UnsupportedMediaType: {
            headers: {
                "Accept-Post"?: components["headers"]["Accept-Post"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The `Idempotency-Key` was already used with another body. */
        UnprocessableContent: {
            headers: {
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The store contains the maximum number of pets. No pet was created. Do not retry. */
        InsufficientStorage: {
            headers: {
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The client has this content already. `If-None-Match` has its ETag, or `*`. */
        DeprecatedNotModified: {
            headers: {
                ETag: components["headers"]["ETag"];
                Deprecation?: components["headers"]["Deprecation"];
                Sunset?: components["headers"]["Sunset"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content?: never;
        };
        /** @description The API key is missing, unknown, expired or revoked. */
        DeprecatedUnauthorized: {
            headers: {
                "WWW-Authenticate": components["headers"]["WWW-Authenticate"];
                Deprecation?: components["headers"]["Deprecation"];
                Sunset?: components["headers"]["Sunset"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description `If-Match` does not have the ETag of the pet. Send the request without `If-Match`. */
        DeprecatedPreconditionFailed: {
            headers: {
                Deprecation?: components["headers"]["Deprecation"];
                Sunset?: components["headers"]["Sunset"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The API key exceeded its rate limit, or too many authentications from the address failed. */
        DeprecatedTooManyRequests: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                Deprecation?: components["headers"]["Deprecation"];
                Sunset?: components["headers"]["Sunset"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description An unexpected error. The service logs it with the id in `X-Request-Id`. */
        DeprecatedInternalError: {
            headers: {
                Deprecation?: components["headers"]["Deprecation"];
                Sunset?: components["headers"]["Sunset"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description The service is temporarily unavailable or overloaded. Wait for the seconds in `Retry-After` before you retry. */
        DeprecatedUnavailable: {
            headers: {
                "Retry-After": components["headers"]["Retry-After"];
                Deprecation?: components["headers"]["Deprecation"];
                Sunset?: components["headers"]["Sunset"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Error"];
            };
        };
        /** @description Any other error of HTTP (408, 431 or 501). */
        DeprecatedFailure: {
            headers: {
                Deprecation?: components["headers"]["Deprecation"];
                Sunset?: components["headers"]["Sunset"];
                "X-Request-Id"?: components["headers"]["X-Request-Id"];
                Link?: components["headers"]["Link"];
                RateLimit?: components["headers"]["RateLimit"];
                "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
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
        /** @description The version of the content (RFC 9110, section 8.8.3). Send it in `If-None-Match` to get 304 while the content is the same. */
        ETag: string;
        /** @description The id of the request in the logs of the service. Include it when you report a problem. */
        "X-Request-Id": string;
        /**
         * @description Links to other resources (RFC 8288). A list has `rel="next"` if another page follows, `rel="prev"` if one
         *     precedes, and `rel="first"` if the request has a cursor. Responses with `Deprecation` have `rel="deprecation"`
         *     and, if there is a successor, `rel="successor-version"`. Error responses have
         *     `rel="service-desc"` and `rel="service-doc"` (RFC 8631).
         */
        Link: string;
        /**
         * @description The state of a rate limit (draft-ietf-httpapi-ratelimit-headers-10). It starts with the name of the policy.
         *     `r` is the number of remaining requests, and `t` the number of seconds until all are available again. It is sent
         *     only if the request counts toward a rate limit.
         */
        RateLimit: string;
        /**
         * @description A rate limit (draft-ietf-httpapi-ratelimit-headers-10). It starts with the name of the policy. `q` is the
         *     number of requests that are available at once, and `w` the number of seconds in which they become available
         *     again, evenly. The policy `calls` limits the requests of an API key. The policy `failed-credentials`, on 401 and
         *     429, limits the failed authentications from an address.
         */
        "RateLimit-Policy": string;
        /** @description The required authentication scheme (RFC 6750). */
        "WWW-Authenticate": string;
        /** @description The methods that the path supports (RFC 9110). */
        Allow: string;
        /** @description Seconds to wait before a retry (RFC 9110). */
        "Retry-After": number;
        /** @description The URL of the new pet. */
        Location: string;
        /** @description `true` if the pet was created by an earlier request with the same `Idempotency-Key`. Otherwise, the header is missing. */
        "Idempotency-Replayed": "true";
        /** @description The media types of bodies that the operation accepts (Linked Data Platform, section 7.1). */
        "Accept-Post": string;
        /**
         * @description The date on which the operation was deprecated (RFC 9745). Missing if the request is rejected before it reaches the
         *     operation: malformed HTTP, a timeout, headers that are too large, or an unknown method or transfer coding.
         */
        Deprecation: string;
        /** @description The date on which the operation will be removed (RFC 8594). Missing if `Deprecation` is missing. */
        Sunset: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listPets: {
        parameters: {
            query?: {
                /** @description Maximum number of pets returned. */
                limit?: number;
                /** @description Returns only pets with this status. */
                status?: components["schemas"]["PetStatus"];
                /**
                 * @description The start of the page. A cursor is an opaque value from the `Link` header of another page of the same
                 *     list. It is valid only with the same `status` filter.
                 */
                cursor?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of pets, ordered by id. It is empty if no pet matches. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    "X-Request-Id"?: components["headers"]["X-Request-Id"];
                    Link?: components["headers"]["Link"];
                    RateLimit?: components["headers"]["RateLimit"];
                    "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pets"];
                };
            };
            304: components["responses"]["NotModified"];
            /** @description The request is malformed, or a part of it is invalid. For `invalid_parameter`, `details` names the invalid parts. */
            400: {
                headers: {
                    "X-Request-Id"?: components["headers"]["X-Request-Id"];
                    Link?: components["headers"]["Link"];
                    RateLimit?: components["headers"]["RateLimit"];
                    "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
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
                 * @description A unique value that the client generates, such as a UUID. If the same API key sends the same value and
                 *     body again within 24 hours, it receives the same 201 again, and no second pet is created. The same value with
                 *     another body results in 422. The value can be in double quotes.
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        /** @description The pet to create. The body has at most 65,536 bytes of UTF-8. */
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The pet was created. */
            201: {
                headers: {
                    Location: components["headers"]["Location"];
                    "Idempotency-Replayed"?: components["headers"]["Idempotency-Replayed"];
                    "X-Request-Id"?: components["headers"]["X-Request-Id"];
                    Link?: components["headers"]["Link"];
                    RateLimit?: components["headers"]["RateLimit"];
                    "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            /** @description The request is malformed, or a part of it is invalid. For `invalid_parameter` and `invalid_body`, `details` names the invalid parts. */
            400: {
                headers: {
                    "X-Request-Id"?: components["headers"]["X-Request-Id"];
                    Link?: components["headers"]["Link"];
                    RateLimit?: components["headers"]["RateLimit"];
                    "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["Unauthorized"];
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["PreconditionFailed"];
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
                /** @description Id of the pet. */
                petId: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pet. */
            200: {
                headers: {
                    ETag: components["headers"]["ETag"];
                    Deprecation?: components["headers"]["Deprecation"];
                    Sunset?: components["headers"]["Sunset"];
                    "X-Request-Id"?: components["headers"]["X-Request-Id"];
                    Link?: components["headers"]["Link"];
                    RateLimit?: components["headers"]["RateLimit"];
                    "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            304: components["responses"]["DeprecatedNotModified"];
            /** @description The request is malformed, or a part of it is invalid. For `invalid_parameter`, `details` names the invalid parts. */
            400: {
                headers: {
                    Deprecation?: components["headers"]["Deprecation"];
                    Sunset?: components["headers"]["Sunset"];
                    "X-Request-Id"?: components["headers"]["X-Request-Id"];
                    Link?: components["headers"]["Link"];
                    RateLimit?: components["headers"]["RateLimit"];
                    "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            401: components["responses"]["DeprecatedUnauthorized"];
            /** @description No pet has this id. */
            404: {
                headers: {
                    Deprecation?: components["headers"]["Deprecation"];
                    Sunset?: components["headers"]["Sunset"];
                    "X-Request-Id"?: components["headers"]["X-Request-Id"];
                    Link?: components["headers"]["Link"];
                    RateLimit?: components["headers"]["RateLimit"];
                    "RateLimit-Policy"?: components["headers"]["RateLimit-Policy"];
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Error"];
                };
            };
            405: components["responses"]["MethodNotAllowed"];
            412: components["responses"]["DeprecatedPreconditionFailed"];
            429: components["responses"]["DeprecatedTooManyRequests"];
            500: components["responses"]["DeprecatedInternalError"];
            503: components["responses"]["DeprecatedUnavailable"];
            default: components["responses"]["DeprecatedFailure"];
        };
    };
}

/** Where responses have an int64. */
export const integers: IntegerMap = {
  "schemas": {
    "Pets": {
      "items": {
        "schemas": [
          "Pet"
        ]
      }
    },
    "Pet": {
      "properties": {
        "id": {
          "exact": true
        },
        "categoryId": {
          "exact": true
        }
      }
    }
  },
  "operations": {
    "GET /pets": {
      "200": {
        "schemas": [
          "Pets"
        ]
      },
      "304": {},
      "400": {},
      "401": {},
      "405": {},
      "412": {},
      "429": {},
      "500": {},
      "503": {},
      "default": {}
    },
    "POST /pets": {
      "201": {
        "schemas": [
          "Pet"
        ]
      },
      "400": {},
      "401": {},
      "405": {},
      "412": {},
      "413": {},
      "415": {},
      "422": {},
      "429": {},
      "500": {},
      "503": {},
      "507": {},
      "default": {}
    },
    "GET /pets/{petId}": {
      "200": {
        "schemas": [
          "Pet"
        ]
      },
      "304": {},
      "400": {},
      "401": {},
      "404": {},
      "405": {},
      "412": {},
      "429": {},
      "500": {},
      "503": {},
      "default": {}
    }
  }
};

/** The operations that accept an Idempotency-Key. */
export const idempotentOperations: ReadonlySet<string> = new Set(["POST /pets"]);

/** The error codes of this version of the document. Later versions can add codes. */
export type ErrorCode = "malformed_request" | "invalid_parameter" | "invalid_body" | "invalid_cursor" | "unauthorized" | "insufficient_scope" | "path_not_found" | "pet_not_found" | "method_not_allowed" | "request_timeout" | "precondition_failed" | "content_too_large" | "unsupported_media_type" | "idempotency_key_reused" | "too_many_requests" | "headers_too_large" | "internal_error" | "not_implemented" | "unavailable" | "store_full";

/** The maximum size of a page. */
export const maxLimit = 100;

/** The path at the end of every base URL of the service. */
export const basePath = "/v1";
