// Paths with one of two ids of a record, such as `/organizations/{id_or_slug}`.
import { parseJson } from "../../../lib/index.ts";
import type { UntypedCall } from "../../../openapi/index.ts";
import { type Records, scopeFilter, toScope } from "../../../store/index.ts";
import { parametersOf } from "../../recognition/paths.ts";
import { otherIdFilter, type Resource } from "../../record/resource.ts";
import { parameterOf } from "./request.ts";

/**
 * Puts the ids of records in place of their other ids in the path of a request. `along` are the collections along it, from the highest to the
 * lowest, and `tenants` the values of its headers in front of its path.
 */
export async function resolveIds(
  call: UntypedCall,
  path: string,
  { along, tenants }: { readonly along: readonly Resource[]; readonly tenants: readonly string[] },
  records: Records,
): Promise<void> {
  const names = parametersOf(path);
  for (const resource of along) {
    const { name, scopeParameters, plan } = resource;
    const parameter = names[scopeParameters.length - tenants.length];
    if (plan.id.other === undefined || parameter === undefined) continue;
    const values = [...tenants, ...names.map((one) => parameterOf(call, one))].slice(0, scopeParameters.length);
    const sent = parameterOf(call, parameter);
    if ((await records(name).position(resource.addressAt(values, sent))) !== undefined) continue;
    const filter = { [otherIdFilter.name]: sent, ...(values.length > 0 && { [scopeFilter.name]: toScope(values) }) };
    const { records: found } = await records(name).list({ limit: 1, filter });
    for (const id of (parseJson(found.text) as object[]).map((record) => resource.idIn(record)))
      Object.assign(call.params as object, { [parameter]: id });
  }
}
