// IP networks of clients.
import { BlockList, isIP, isIPv4, isIPv6 } from "node:net";

/** Creates a function that returns whether an IP address is in one of these networks (addresses or CIDR). */
export function createNetworkMatcher(networks: readonly string[]): (address: string) => boolean {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return (address) => isIP(address) !== 0 && list.check(address, isIPv6(address) ? "ipv6" : "ipv4");
}

/**
 * Returns the network of a client: an IPv4 address, or the /64 prefix of an IPv6 address, which belongs to one site.
 */
export function toNetwork(address: string): string {
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1];
  if (mapped !== undefined || isIPv4(address)) return mapped ?? address;
  if (!isIPv6(address)) return "unknown"; // a client can send any X-Forwarded-For
  const [left = "", right] = address.split("::");
  const head = left === "" ? [] : left.split(":");
  const tail = right ? right.split(":") : [];
  const zeros = right === undefined ? [] : Array(8 - head.length - tail.length).fill("0");
  return `${[...head, ...zeros, ...tail].slice(0, 4).join(":")}::/64`;
}
