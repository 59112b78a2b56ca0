import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { askerOf, reading, signedIn, type FromPerson } from "./from-person.ts";
import type { OwnRoute } from "./own-route.ts";
import { programName } from "./programs.ts";

type Answer = Promise<Result<unknown, Refusal>>;
const idForm = v.object({ id: v.string() });
const registerForm = v.object({
  name: v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(60)),
  redirectUris: v.pipe(
    v.array(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(500))),
    v.minLength(1),
    v.maxLength(20),
  ),
});

/** The addresses of programs that act for people: a person's own permits, and the programs that owners register. */
export const programRoutes: Readonly<Record<string, OwnRoute>> = {
  "/permits": ["GET", signedIn(listPermits)],
  "/permits/end": ["POST", signedIn(reading(idForm, endPermit))],
  "/programs": ["GET", signedIn(listPrograms)],
  "/programs/register": ["POST", signedIn(reading(registerForm, register))],
  "/programs/remove": ["POST", signedIn(reading(idForm, remove))],
};

async function listPermits({ parts, session }: FromPerson): Answer {
  const permits = parts.permits.of(session.person).map((permit) => ({
    id: permit.id,
    name: programName({ id: permit.clientId, name: permit.clientName }),
    rights: permit.rights,
    madeAt: permit.madeAt,
    seenAt: permit.seenAt,
    expiresAt: permit.expiresAt,
    address: permit.address,
  }));
  return ok({ permits });
}

async function endPermit({ parts, session }: FromPerson, { id }: v.InferOutput<typeof idForm>): Answer {
  const permit = parts.permits.of(session.person).find((each) => each.id === id);
  if (permit === undefined) {
    return err(refusal("NOT_FOUND", {}, "No program with this id acts for you. List them to see the ids."));
  }
  await parts.permits.end([permit], { act: "permit.ended", sessionId: session.id });
  return ok({});
}

/** Whether somebody may register programs now: the same question as of scoped tokens. */
function whyNotPrograms({ parts, session }: FromPerson): Refusal | null {
  const decision = parts.keeper.decide(askerOf(session), { verb: "workspace.tokens", chain: [workspaceKey] });
  if (decision === "allowed") return null;
  if (decision === "reauthenticate") return refusal("REAUTHENTICATE");
  return refusal("FORBIDDEN", {}, "Only an owner of the workspace does this. Nothing was changed; ask one.");
}

async function listPrograms(asked: FromPerson): Answer {
  const { parts, session } = asked;
  const mayRegister =
    parts.keeper.decide(askerOf(session), { verb: "workspace.list-tokens", chain: [workspaceKey] }) === "allowed";
  return ok({ mayRegister, programs: mayRegister ? parts.programs.list() : [] });
}

async function register(asked: FromPerson, wanted: v.InferOutput<typeof registerForm>): Answer {
  const refused = whyNotPrograms(asked);
  if (refused !== null) return err(refused);
  return asked.parts.programs.register(wanted, (id, writes) => noted(asked, "program.registered", id, writes));
}

async function remove(asked: FromPerson, { id }: v.InferOutput<typeof idForm>): Answer {
  const refused = whyNotPrograms(asked);
  if (refused !== null) return err(refused);
  const removed = await asked.parts.programs.remove(id, (writes) => noted(asked, "program.removed", id, writes));
  if (!removed.ok) return removed;
  await asked.parts.permits.endOfClient(id, asked.session.id);
  return ok({});
}

function noted(
  { parts, session, network }: FromPerson,
  act: string,
  object: string,
  also: readonly StoreWrite[],
): Promise<Result<void, Refusal>> {
  const about = { actor: session.person, credential: session.id, address: network };
  return parts.keeper.record({ ...about, act, object, outcome: "done" }, also);
}
