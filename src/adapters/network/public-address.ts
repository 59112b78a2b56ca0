import { BlockList, isIP, isIPv4 } from "node:net";

/** Networks that no stranger on the Internet has: own machine, private and shared networks, link-local, documentation, multicast. */
const withheld = new BlockList();
for (const [network, bits] of [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 3],
] as const) {
  withheld.addSubnet(network, bits, "ipv4");
}
for (const [network, bits] of [
  // Addresses that carry an IPv4 address inside, which may be a private one.
  ["2001::", 32],
  ["2002::", 16],
  // For documentation alone.
  ["2001:db8::", 32],
  ["3fff::", 20],
] as const) {
  withheld.addSubnet(network, bits, "ipv6");
}
const unicast = new BlockList();
unicast.addSubnet("2000::", 3, "ipv6");

/** Returns whether an IP address belongs to the public Internet; false for any other text. */
export function isPublicAddress(address: string): boolean {
  if (isIP(address) === 0) return false;
  if (isIPv4(address)) return !withheld.check(address, "ipv4");
  return unicast.check(address, "ipv6") && !withheld.check(address, "ipv6");
}
