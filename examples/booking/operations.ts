// Generated from examples/booking/booking.yaml by "npm run generate". Do not edit.
export interface paths {
    "/clinics": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listClinics"];
        put?: never;
        post: operations["createClinic"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clinics/{clinicId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getClinic"];
        put: operations["updateClinic"];
        post?: never;
        delete: operations["deleteClinic"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/clinics/{clinicId}/vets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listVetsOfClinic"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/vets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listVets"];
        put?: never;
        post: operations["createVet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/vets/{vetId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getVet"];
        put?: never;
        post?: never;
        delete: operations["deleteVet"];
        options?: never;
        head?: never;
        patch: operations["changeVet"];
        trace?: never;
    };
    "/vets/{vetId}/appointments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAppointmentsOfVet"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/owners": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listOwners"];
        put?: never;
        post: operations["createOwner"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/owners/{ownerId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getOwner"];
        put?: never;
        post?: never;
        /** @description The pets of the owner are deleted, too, unless one of them has an appointment. */
        delete: operations["deleteOwner"];
        options?: never;
        head?: never;
        patch: operations["changeOwner"];
        trace?: never;
    };
    "/owners/{ownerId}/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPetsOfOwner"];
        put?: never;
        post: operations["createPet"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/pets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPets"];
        put?: never;
        post?: never;
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
        get: operations["getPet"];
        put?: never;
        post?: never;
        delete: operations["deletePet"];
        options?: never;
        head?: never;
        patch: operations["changePet"];
        trace?: never;
    };
    "/treatments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listTreatments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/treatments/{code}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getTreatment"];
        put: operations["putTreatment"];
        post?: never;
        delete: operations["deleteTreatment"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/appointments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listAppointments"];
        put?: never;
        /** @description Books an appointment in the working hours of a vet, and creates its invoice. 409 if the vet has another appointment at this time. */
        post: operations["bookAppointment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/appointments/{appointmentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getAppointment"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /** @description Changes the reason. A reschedule changes the time. */
        patch: operations["changeAppointment"];
        trace?: never;
    };
    "/appointments/{appointmentId}/complete": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["completeAppointment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/appointments/{appointmentId}/reschedule": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["rescheduleAppointment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/appointments/{appointmentId}/cancel": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Cancels an appointment for which nothing is paid, and its invoice. */
        post: operations["cancelAppointment"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listInvoices"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices/{invoiceId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getInvoice"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices/{invoiceId}/lines": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** @description Adds a treatment to an open invoice, and so to the price of its appointment. */
        post: operations["addInvoiceLine"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices/{invoiceId}/payments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["listPayments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/invoices/{invoiceId}/payments/{paymentId}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getPayment"];
        /** @description Pays a part of an invoice, or all of it, once for each id. */
        put: operations["payInvoice"];
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
        NewClinic: {
            name: string;
            /** @enum {string} */
            timeZone: "UTC" | "Europe/Berlin" | "Europe/London" | "America/New_York";
        };
        Clinic: {
            /** Format: uuid */
            id: string;
        } & components["schemas"]["NewClinic"];
        WorkingHours: {
            /** @description 1 is Monday. */
            weekday: number;
            from: components["schemas"]["LocalTime"];
            until: components["schemas"]["LocalTime"];
        };
        /** @description In the time zone of the clinic. */
        LocalTime: string;
        WorkingWeek: components["schemas"]["WorkingHours"][];
        VetChange: {
            name?: string;
            specialty?: string;
            workingHours?: components["schemas"]["WorkingWeek"];
        };
        NewVet: {
            /** Format: uuid */
            clinicId: string;
            name: string;
            specialty?: string;
            workingHours: components["schemas"]["WorkingWeek"];
        };
        Vet: {
            /** Format: uuid */
            id: string;
        } & components["schemas"]["NewVet"];
        OwnerChange: {
            name?: string;
            /** Format: email */
            email?: string;
            phone?: string;
        };
        NewOwner: {
            name: string;
            /** Format: email */
            email: string;
            phone?: string;
        };
        Owner: {
            /** Format: uuid */
            id: string;
        } & components["schemas"]["NewOwner"];
        /** @enum {string} */
        Species: "cat" | "dog" | "rabbit" | "bird";
        PetChange: {
            name?: string;
            species?: components["schemas"]["Species"];
        };
        NewPet: {
            name: string;
            species: components["schemas"]["Species"];
        };
        Pet: {
            /** Format: uuid */
            id: string;
            /** Format: uuid */
            ownerId: string;
        } & components["schemas"]["NewPet"];
        NewTreatment: {
            name: string;
            price: components["schemas"]["Cents"];
        };
        Treatment: {
            code: string;
        } & components["schemas"]["NewTreatment"];
        Cents: number;
        Period: {
            /** Format: date-time */
            startsAt: string;
            /**
             * Format: date-time
             * @description At most 4 hours later.
             */
            endsAt: string;
        };
        /** @enum {string} */
        AppointmentStatus: "booked" | "completed" | "cancelled";
        AppointmentChange: {
            reason?: string;
        };
        NewAppointment: {
            reason: string;
            /** Format: uuid */
            vetId: string;
            /** Format: uuid */
            petId: string;
        } & components["schemas"]["Period"];
        Appointment: {
            /** Format: int64 */
            id: bigint;
            status: components["schemas"]["AppointmentStatus"];
            price: components["schemas"]["Cents"];
        } & components["schemas"]["NewAppointment"];
        /** @enum {string} */
        InvoiceStatus: "open" | "paid" | "cancelled";
        NewLine: {
            /** @description The code of a treatment. */
            treatment: string;
            /** @default 1 */
            quantity: number;
            note?: string;
        };
        Line: {
            treatment: string;
            quantity: number;
            note?: string;
            price: components["schemas"]["Cents"];
        };
        Invoice: {
            /** Format: int64 */
            id: bigint;
            /** Format: int64 */
            appointmentId: bigint;
            lines: components["schemas"]["Line"][];
            total: components["schemas"]["Cents"];
            paid: components["schemas"]["Cents"];
            status: components["schemas"]["InvoiceStatus"];
        };
        NewPayment: {
            amount: number;
            /** @enum {string} */
            method: "cash" | "card" | "transfer";
        };
        Payment: {
            /** Format: uuid */
            id: string;
            /** Format: date-time */
            paidAt: string;
        } & components["schemas"]["NewPayment"];
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
        Limit: number;
        Cursor: string;
        Status: components["schemas"]["AppointmentStatus"];
        IdempotencyKey: string;
        AppointmentId: bigint;
        InvoiceId: bigint;
    };
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listClinics: {
        parameters: {
            query: {
                limit: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of clinics. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clinic"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createClinic: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewClinic"];
            };
        };
        responses: {
            /** @description The clinic was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clinic"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getClinic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clinicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clinic. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clinic"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    updateClinic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clinicId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewClinic"];
            };
        };
        responses: {
            /** @description The clinic. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Clinic"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    deleteClinic: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                clinicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The clinic was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Failure"];
        };
    };
    listVetsOfClinic: {
        parameters: {
            query: {
                limit: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                clinicId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of vets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vet"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listVets: {
        parameters: {
            query: {
                specialty?: string;
                limit: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of vets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vet"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createVet: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewVet"];
            };
        };
        responses: {
            /** @description The vet was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vet"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getVet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                vetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The vet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vet"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    deleteVet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                vetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The vet was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Failure"];
        };
    };
    changeVet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                vetId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": components["schemas"]["VetChange"];
            };
        };
        responses: {
            /** @description The vet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Vet"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listAppointmentsOfVet: {
        parameters: {
            query: {
                status?: components["parameters"]["Status"];
                limit: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                vetId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of appointments. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Appointment"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listOwners: {
        parameters: {
            query: {
                email?: string;
                limit: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of owners. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createOwner: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOwner"];
            };
        };
        responses: {
            /** @description The owner was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The owner. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    deleteOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The owner was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Failure"];
        };
    };
    changeOwner: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": components["schemas"]["OwnerChange"];
            };
        };
        responses: {
            /** @description The owner. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Owner"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listPetsOfOwner: {
        parameters: {
            query: {
                limit: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of pets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createPet: {
        parameters: {
            query?: never;
            header?: {
                "Idempotency-Key"?: components["parameters"]["IdempotencyKey"];
            };
            path: {
                ownerId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPet"];
            };
        };
        responses: {
            /** @description The pet was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listPets: {
        parameters: {
            query: {
                species?: components["schemas"]["Species"];
                limit: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of pets. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getPet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                petId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    deletePet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                petId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The pet was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Failure"];
        };
    };
    changePet: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                petId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": components["schemas"]["PetChange"];
            };
        };
        responses: {
            /** @description The pet. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Pet"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listTreatments: {
        parameters: {
            query: {
                limit: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of treatments. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Treatment"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getTreatment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The treatment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Treatment"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    putTreatment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewTreatment"];
            };
        };
        responses: {
            /** @description The treatment was replaced. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Treatment"];
                };
            };
            /** @description The treatment was created. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Treatment"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    deleteTreatment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                code: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The treatment was deleted. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Failure"];
        };
    };
    listAppointments: {
        parameters: {
            query: {
                petId?: string;
                startsAt_gte?: string;
                startsAt_lt?: string;
                status?: components["parameters"]["Status"];
                limit: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of appointments. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Appointment"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    bookAppointment: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewAppointment"];
            };
        };
        responses: {
            /** @description The appointment was booked. */
            201: {
                headers: {
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            default: components["responses"]["Failure"];
        };
        handler: "required";
    };
    getAppointment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appointmentId: components["parameters"]["AppointmentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The appointment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    changeAppointment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appointmentId: components["parameters"]["AppointmentId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/merge-patch+json": components["schemas"]["AppointmentChange"];
            };
        };
        responses: {
            /** @description The appointment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    completeAppointment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appointmentId: components["parameters"]["AppointmentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The appointment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    rescheduleAppointment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appointmentId: components["parameters"]["AppointmentId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Period"];
            };
        };
        responses: {
            /** @description The appointment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            default: components["responses"]["Failure"];
        };
        handler: "required";
    };
    cancelAppointment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                appointmentId: components["parameters"]["AppointmentId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The appointment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Appointment"];
                };
            };
            default: components["responses"]["Failure"];
        };
        handler: "required";
    };
    listInvoices: {
        parameters: {
            query: {
                appointmentId?: bigint;
                status?: components["schemas"]["InvoiceStatus"];
                limit: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of invoices. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: components["parameters"]["InvoiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The invoice. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    addInvoiceLine: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: components["parameters"]["InvoiceId"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewLine"];
            };
        };
        responses: {
            /** @description The invoice. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Invoice"];
                };
            };
            default: components["responses"]["Failure"];
        };
        handler: "required";
    };
    listPayments: {
        parameters: {
            query: {
                limit: components["parameters"]["Limit"];
                cursor?: components["parameters"]["Cursor"];
            };
            header?: never;
            path: {
                invoiceId: components["parameters"]["InvoiceId"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of payments. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getPayment: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: components["parameters"]["InvoiceId"];
                /** @description Made by the client. */
                paymentId: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The payment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    payInvoice: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                invoiceId: components["parameters"]["InvoiceId"];
                /** @description Made by the client. */
                paymentId: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewPayment"];
            };
        };
        responses: {
            /** @description The payment. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Payment"];
                };
            };
            default: components["responses"]["Failure"];
        };
        handler: "required";
    };
}

/**
 * The types of the operations, for the option `types` of createServer, which compares the hash with its document. With a store, only
 * the operations with `handler: "required"` need one.
 */
export const types: { readonly hash: string; readonly operations?: operations } = { hash: "d031674e8dce402088ad95888ad43845" };
/** The records of a store, by the names of their collections: `openStore<collections>(url)`. */
export interface collections {
  "clinics": components["schemas"]["Clinic"];
  "vets": components["schemas"]["Vet"];
  "owners": components["schemas"]["Owner"];
  "treatments": components["schemas"]["Treatment"];
  "appointments": components["schemas"]["Appointment"];
  "invoices_invoiceId_payments": components["schemas"]["Payment"];
  "pets": components["schemas"]["Pet"];
  "invoices": components["schemas"]["Invoice"];
}
