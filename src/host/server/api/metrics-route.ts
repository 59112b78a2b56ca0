import { refusal } from "../../../core/base/errors.ts";
import { onWorkspace } from "../../../core/protocol/base/access.ts";
import { bytesRoute, type Route } from "../http/route.ts";
import { metricsPath, sendMetrics } from "../http/metrics-answer.ts";

export const metricsRoute: Route = bytesRoute({
  method: "GET",
  path: metricsPath,
  section: "Description of the API",
  description:
    "Returns counts and times for Prometheus: turns, requests to models with their tokens, calls of tools, and the process.",
  details:
    "A token is needed as everywhere; one with the right to read, for the whole workspace, will do. Labels are models, tools and outcomes.",
  answer: { type: "bytes", mediaTypes: ["text/plain"], description: "The metrics in Prometheus' text form." },
  refusals: ["NOT_FOUND"],
  access: onWorkspace("workspace.list"),
  async perform({ workspace: { meters }, response }) {
    if (meters === null) return refusal("NOT_FOUND");
    await sendMetrics(response, meters);
    return null;
  },
});
