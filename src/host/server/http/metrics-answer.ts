import type { ServerResponse } from "node:http";
import type { Meters } from "../../../core/port/meters.ts";
import { inertPolicy, securityHeaders } from "./security-headers.ts";

/** What Prometheus collects; outside `/api/`, where it looks for it. */
export const metricsPath = "/metrics";

export async function sendMetrics(response: ServerResponse, meters: Meters): Promise<void> {
  const { mediaType, text } = await meters.text();
  response.writeHead(200, {
    ...securityHeaders,
    "content-security-policy": inertPolicy,
    "content-type": mediaType,
    "cache-control": "no-store",
  });
  response.end(text);
}
