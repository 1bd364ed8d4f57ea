// The names and addresses of this machine, which no other site can have.
import { BlockList, isIP, isIPv6 } from "node:net";

const addresses = new BlockList();
addresses.addSubnet("127.0.0.0", 8);
addresses.addAddress("::1", "ipv6");

/** Returns whether an address, a name or a value of Host is one of this machine. */
export function isLoopbackHost(host: string): boolean {
  return isLoopbackName(toHostName(host));
}

/** Returns whether what `toHostName` has returned is one of this machine. */
export function isLoopbackName(name: string): boolean {
  if (isIP(name) === 0) return /^(.+\.)?localhost$/.test(name);
  return addresses.check(name, isIPv6(name) ? "ipv6" : "ipv4");
}

/** Returns a host without a port, in lower case, and an address in its usual form. Empty if it is invalid. */
export function toHostName(host: string): string {
  const name = URL.parse(`http://${isIP(host) === 6 ? `[${host}]` : host}`)?.hostname ?? "";
  return name.replace(/^\[(.*)\]$|\.$/, "$1");
}
