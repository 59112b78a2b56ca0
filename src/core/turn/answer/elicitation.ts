import type { JsonObject } from "../../base/json.ts";
import { err, ok, type Result } from "../../base/result.ts";
import { readElicitedForm, type ElicitedForm } from "./elicited-form.ts";

/** What a program asks of a person in the midst of a call: a form to fill in, or an address to open. */
export type Elicitation =
  | { readonly type: "form"; readonly form: ElicitedForm }
  | { readonly type: "url"; readonly message: string; readonly url: string };

/** The answer to a program: what a person gave, that they declined, or that the turn was stopped. */
export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: JsonObject }
  | { readonly action: "decline" }
  | { readonly action: "cancel" };

/** The longest address and message that is shown. UTF-16 units. */
const urlMax = 2_000;
const messageMax = 4_000;

/** An address as the platform has parsed it. */
interface ParsedAddress {
  readonly href: string;
  readonly protocol: string;
  readonly hostname: string;
  readonly username: string;
  readonly password: string;
}

/** Reads what a program asks; a sentence says why people are not shown it. `parse` is the platform's parser of addresses. */
export function readElicitation(
  params: Readonly<Record<string, unknown>>,
  parse: (url: string) => ParsedAddress | null,
): Result<Elicitation, string> {
  const { mode = "form", message, requestedSchema, url } = params;
  if (typeof message !== "string") return err("it does not say what it asks");
  const words = message.toWellFormed().slice(0, messageMax);
  if (mode === "form") {
    const form = readElicitedForm(words, requestedSchema ?? {});
    return form.ok ? ok({ type: "form", form: form.value }) : form;
  }
  if (mode !== "url") return err("it asks in a way that is not known");
  const address = typeof url === "string" && url.length <= urlMax ? parse(url) : null;
  if (address === null) return err("its address cannot be read");
  if (address.protocol !== "https:" && !isLocal(address)) return err("its address is not an https one");
  if (address.username !== "" || address.password !== "") return err("its address holds a name or a password");
  return ok({ type: "url", message: words, url: address.href });
}

/** Whether a host's name holds letters beyond ASCII, also in Punycode: it may look like another one. */
export function isUnusualHost(host: string): boolean {
  return /(?:^|\.)xn--/iu.test(host) || /[^\x21-\x7e]/u.test(host);
}

function isLocal({ protocol, hostname }: ParsedAddress): boolean {
  return protocol === "http:" && /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/u.test(hostname);
}
