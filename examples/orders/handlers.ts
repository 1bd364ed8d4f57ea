// What no rule can decide about orders. All other operations are answered from records:
// `npx openapi-server serve examples/orders/orders.yaml --handlers examples/orders/handlers.ts`
import { type AnyCall, HttpError } from "../../src/index.ts"; // in a project: "@petstore/openapi-server"
import type { ResourceStore } from "../../src/resources/store.ts"; // "@petstore/openapi-server/store"

interface Line {
  readonly product: string;
  readonly quantity: number;
  readonly price: number;
}

interface NewOrder {
  readonly customer_id: string;
  readonly lines: readonly Line[];
}

interface Order extends NewOrder {
  readonly id: bigint;
  readonly total: number;
  readonly status: "open" | "shipped";
}

/** Replaces the operation that is answered from records: an order is for a customer who exists, and has a total. */
export async function createOrder({ body }: AnyCall, store: ResourceStore) {
  const order = body as NewOrder;
  if ((await store.records("customers").find(order.customer_id)) === undefined)
    throw new HttpError({ code: "customer_unknown", status: 422 }, `No customer has the id ${order.customer_id}.`);
  const cents = order.lines.reduce((sum, { quantity, price }) => sum + quantity * Math.round(price * 100), 0);
  const created = await store.records<Order>("orders").create({ ...order, total: cents / 100, status: "open" });
  return { status: 201, body: created, headers: { Location: `/orders/${created.id}` } };
}

/** An action, which no record can answer: an order is shipped once. */
export async function shipOrder({ params }: AnyCall, store: ResourceStore) {
  const { orderId } = params as { readonly orderId: bigint };
  const shipped = await store.records<Order, Order>("orders").change(orderId, (order) => {
    if (order.status === "shipped")
      throw new HttpError({ code: "already_shipped", status: 409 }, `The order ${orderId} was already shipped.`);
    return { ...order, status: "shipped" };
  });
  if (shipped === undefined)
    throw new HttpError({ code: "order_not_found", status: 404 }, `No order has the id ${orderId}.`);
  return { status: 200, body: shipped };
}
