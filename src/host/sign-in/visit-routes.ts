import * as v from "valibot";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, type Result } from "../../core/base/result.ts";
import type { ShareLinkRow } from "../../core/rights/rights-row.ts";
import type { Visit } from "../visit/visits.ts";
import { later } from "./later.ts";
import type { Asked, OwnRoute } from "./own-route.ts";

const text = (max: number) => v.pipe(v.string(), v.maxLength(max));
const visitForm = {
  secret: text(100),
  documentId: v.optional(
    v.pipe(
      text(200),
      v.transform((id) => id as BlockId),
    ),
  ),
};
/** What a visitor says of a link with a password. */
const provingForm = { proof: v.optional(text(100)), pass: v.optional(text(100)) };
type Proving = v.InferOutput<v.ObjectSchema<typeof provingForm, undefined>>;
const readForm = v.object({ ...visitForm, ...provingForm, have: v.optional(text(100)) });
const pictureForm = v.object({ ...visitForm, ...provingForm, id: v.pipe(v.string(), v.regex(/^[0-9a-f]{64}$/)) });
const commentForm = v.object({ ...visitForm, ...provingForm, name: text(200), text: text(8_000) });

/** The addresses of those who have a share link, and perhaps no account. */
export const visitRoutes: Readonly<Record<string, OwnRoute>> = {
  "/visit": ["POST", asVisitor(readForm, (asked, wanted) => asked.parts.visits.read(wanted, goneOf(asked)))],
  "/visit/picture": [
    "POST",
    asVisitor(pictureForm, (asked, { id, ...visit }) => asked.parts.visits.picture(visit, id)),
  ],
  "/visit/comment": [
    "POST",
    asVisitor(commentForm, (asked, { name, text: words, ...visit }) => asked.parts.visits.comment(visit, name, words)),
  ],
};

/** Questions of one network about one link, and comments of one network, in a minute. */
const visitsMax = 240;
const commentsMax = 10;

function asVisitor<Wanted extends Visit & Proving>(
  form: v.GenericSchema<unknown, Wanted>,
  perform: (asked: Asked, wanted: Wanted) => Promise<Result<unknown, Refusal>>,
): OwnRoute[1] {
  return async (asked) => {
    const { parts, network, body } = asked;
    const read = v.safeParse(form, body);
    if (!read.success) {
      const [field = ""] = (v.getDotPath(read.issues[0]) ?? "").split(".");
      return err(refusal("INVALID_PARAMS", { field }, `Correct "${field}" and try again. Nothing was changed.`));
    }
    const link = parts.visits.find(read.output.secret);
    // Who guesses is bounded as who guesses passwords is; who has a link only where they ask very often.
    const wait =
      link === null
        ? parts.limits.tryFrom(network)
        : "text" in read.output
          ? parts.guests.tryFrom(`${network} comments`, commentsMax)
          : parts.guests.tryFrom(`${network} ${link.id}`, visitsMax);
    if (wait > 0) return later(asked.response, wait);
    const unproved = link === null || parts.visits.isOver(link) ? null : whyUnproved(asked, link, read.output);
    if (unproved !== null) return unproved;
    return perform(asked, read.output);
  };
}

/**
 * Refuses who does not prove that they know a link's password; null: they do, or there is none. Guesses are bounded as at
 * sign-in, for the link and for the network; who proved it once comes with what they were given then, and waits for nobody.
 */
function whyUnproved(asked: Asked, link: ShareLinkRow, { proof, pass }: Proving): Result<never, Refusal> | null {
  const { id, proofHash } = link;
  const { limits, visits } = asked.parts;
  if (proofHash === undefined || pass === visits.passOf(link)) return null;
  if (proof === undefined) return err(refusal("UNAUTHENTICATED", { password: "missing" }, asksForPassword));
  const wait = limits.waitOf(`link ${id}`) || limits.tryFrom(asked.network);
  if (wait > 0) return later(asked.response, wait);
  if (sha256Hex(proof) === proofHash) {
    limits.succeeded(`link ${id}`);
    return null;
  }
  limits.failed(`link ${id}`);
  return err(refusal("UNAUTHENTICATED", { password: "wrong" }, wrongPassword));
}

const asksForPassword = "This link asks for a password. Ask the person who sent it.";
const wrongPassword = "The password is wrong. Nothing was opened; try again, or ask the person who sent the link.";

/** Ends a wait when nobody listens any more. */
function goneOf({ response }: Asked): AbortSignal {
  const gone = new AbortController();
  response.once("close", () => gone.abort());
  return gone.signal;
}
