import type { IncomingMessage } from "node:http";
import { isIPv6 } from "node:net";

/** Returns the network that a request comes from: the address, of IPv6 its first half. Headers say nothing about it. */
export function networkOf({ socket }: Pick<IncomingMessage, "socket">): string {
  const address = (socket.remoteAddress ?? "").replace(/^::ffff:(?=\d+\.)/i, "").replace(/%.*$/, "");
  if (!isIPv6(address)) return address;
  const [before = "", after = ""] = address.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === "" ? [] : after.split(":");
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => "0");
  const parts = address.includes("::") ? [...head, ...zeros, ...tail] : head;
  return `${parts.slice(0, 4).join(":")}::/64`;
}

const browsers = [
  [/\bEdg/, "Edge"],
  [/\bOPR\//, "Opera"],
  [/\bFirefox\//, "Firefox"],
  [/Chrom(?:e|ium)\//, "Chrome"],
  [/\bSafari\//, "Safari"],
] as const;
const systems = [
  [/\bAndroid\b/, "Android"],
  [/\b(?:iPhone|iPad)\b/, "iOS"],
  [/\bWindows\b/, "Windows"],
  [/\bMac OS X\b/, "macOS"],
  [/\bCrOS\b/, "ChromeOS"],
  [/\bLinux\b/, "Linux"],
] as const;

/** Names the browser and system of a request, as far as it says; a person knows their session by it. */
export function labelOf({ headers }: Pick<IncomingMessage, "headers">): string {
  const agent = headers["user-agent"] ?? "";
  const browser = browsers.find(([pattern]) => pattern.test(agent))?.[1];
  const system = systems.find(([pattern]) => pattern.test(agent))?.[1];
  if (browser === undefined) return system === undefined ? "Unknown browser" : `Browser on ${system}`;
  return system === undefined ? browser : `${browser} on ${system}`;
}

/** Returns the values of a cookie; a browser sends one, and somebody who plants another must not choose. */
export function cookiesNamed({ headers }: Pick<IncomingMessage, "headers">, name: string): readonly string[] {
  return (headers.cookie ?? "").split(";").flatMap((pair) => {
    const [key = "", value = ""] = pair.trim().split("=", 2);
    return key === name ? [value] : [];
  });
}
