import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { askerOf, reading, signedIn, type FromPerson } from "./from-person.ts";
import type { OwnRoute } from "./own-route.ts";

/** Entries of the audit log in one answer. */
const pageSize = 500;

const form = v.object({ after: v.pipe(v.number(), v.integer(), v.minValue(0)) });

/** The address from which an owner downloads the audit log, page by page. */
export const auditRoutes: Readonly<Record<string, OwnRoute>> = { "/audit": ["POST", signedIn(reading(form, page))] };

async function page(asked: FromPerson, { after }: v.InferOutput<typeof form>): Promise<Result<unknown, Refusal>> {
  const { parts, session, network } = asked;
  const isAllowed = parts.keeper.decide(askerOf(session), { verb: "workspace.audit", chain: [workspaceKey] });
  const about = { actor: session.person, credential: session.id, address: network, object: workspaceKey } as const;
  if (isAllowed !== "allowed") {
    await parts.keeper.record({ ...about, act: "workspace.audit", outcome: "refused" });
    return err(refusal("FORBIDDEN", {}, "Only an owner of the workspace reads the audit log. Ask one."));
  }
  // The first page says that somebody takes the log; it is in what they take.
  if (after === 0) {
    const noted = await parts.keeper.record({ ...about, act: "workspace.audit", outcome: "done" });
    if (!noted.ok) return noted;
  }
  const entries = await parts.store.audit(after, pageSize);
  return ok({ entries, more: entries.length === pageSize });
}
