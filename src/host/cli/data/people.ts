import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { PersonId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { ownersOf } from "../../../core/rights/rights.ts";
import { systemPlatform } from "../../../adapters/platform/system-platform.ts";
import { RightsKeeper } from "../../access/rights-keeper.ts";
import type { Configuration } from "../../data/configuration.ts";
import { loadConfiguration } from "../../data/load-configuration.ts";
import { EntryLinks } from "../../sign-in/links.ts";
import { SignInFacts } from "../../sign-in/sign-in-facts.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { safeLine } from "../base/safe-text.ts";
import { userOf, type Terminal } from "../base/terminal.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { openDataToWrite } from "../start/open-data.ts";

export const peopleForm: CommandForm = {
  name: "people",
  values: ["data", "store", "port", "public-url", "action", "email"],
  switches: ["json"],
  argument: ["action", "email"],
};

export const peopleHelp = `heddle people: let an owner of a team's workspace in again

Examples
  heddle people recover-owner                    where there is one owner
  heddle people recover-owner ada@example.org    which of several

For an owner who lost the password, the second factor or every passkey, when no other owner can help. Prints a link
that works once, for an hour: whoever opens it sets a new password; the second factor, the passkeys and every session of
that owner end. The server must not run: stop it, run this, start it, open the link. Only who can write the data folder
can do this, and the audit log has an entry of it. Everybody else gets a recovery link from an owner, in the settings.

Flags
  --public-url URL   the address of the app, as for "heddle serve"   HEDDLE_PUBLIC_URL
  --port N           its port without --public-url                   HEDDLE_PORT
  --data DIR         the data folder                                 HEDDLE_DATA
  --store URL        the database                                    HEDDLE_DATABASE_URL
  --json             machine-readable output`;

/** Makes a recovery link for an owner, with nothing but the data. */
export async function peopleCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  const { action = "", email, ...flags } = line.values;
  if (action !== "recover-owner") {
    const message = 'It is "heddle people recover-owner", with an email address where there are several owners.';
    return printRefusal(terminal, refusal("INVALID_PARAMS", { action }, message));
  }
  const settings = loadConfiguration(flags, userOf(terminal));
  const made = settings.ok ? await recoverOwner(settings.value, email) : settings;
  if (!made.ok) return printRefusal(terminal, made.error);
  if (line.switches.has("json")) terminal.print(JSON.stringify(made.value));
  else {
    const { name, email: address, link } = made.value;
    terminal.print(link);
    terminal.note(safeLine(`For ${name} (${address}), once, within an hour. Start the server, then open it.`));
  }
  return 0;
}

interface Recovery {
  readonly name: string;
  readonly email: string;
  readonly link: string;
  /** UTC milliseconds. */
  readonly expiresAt: number;
}

async function recoverOwner(
  configuration: Configuration,
  email: string | undefined,
): Promise<Result<Recovery, Refusal>> {
  const data = await openDataToWrite(configuration);
  if (!data.ok) return data;
  try {
    const { store } = data.value;
    const platform = systemPlatform("warn");
    const [keeper, facts] = await Promise.all([RightsKeeper.open(store, platform.clock), SignInFacts.open(store)]);
    const owner = ownerNamed(keeper, facts, email);
    if (!owner.ok) return owner;
    const links = new EntryLinks(facts, platform);
    const about = { actor: "command-line", credential: null, address: null, object: owner.value.id } as const;
    const made = await links.make({ type: "recovery", person: owner.value.id }, (writes) =>
      keeper.record({ ...about, act: "recovery-link.made", outcome: "done" }, writes),
    );
    if (!made.ok) return made;
    const origin = configuration.publicUrl ?? `http://localhost:${configuration.port}`;
    const { secret, expiresAt } = made.value;
    return ok({ ...owner.value, link: `${origin.replace(/\/$/u, "")}/#link=${secret}`, expiresAt });
  } finally {
    await data.value.close();
  }
}

interface Owner {
  readonly id: PersonId;
  readonly name: string;
  readonly email: string;
}

/** Returns the owner with an address, or the only one. */
function ownerNamed(
  { rights }: Pick<RightsKeeper, "rights">,
  facts: SignInFacts,
  email: string | undefined,
): Result<Owner, Refusal> {
  const logins = facts.all("user");
  const owners = ownersOf(rights).flatMap((id): Owner[] => {
    const address = logins.get(id)?.["email"];
    return typeof address === "string" ? [{ id, name: rights.people.get(id) ?? "", email: address }] : [];
  });
  const wanted = email?.trim().toLowerCase();
  const meant = wanted === undefined ? owners : owners.filter((owner) => owner.email.toLowerCase() === wanted);
  const [owner, ...others] = meant;
  if (owner !== undefined && others.length === 0) return ok(owner);
  if (owners.length === 0) {
    const message =
      'This workspace has no owner yet. Start it with "heddle serve --team", which prints a link for one.';
    return err(refusal("NOT_FOUND", {}, message));
  }
  const which = owners.map(({ name, email: address }) => `${name} (${address})`).join(", ");
  const problem = owner === undefined ? "No owner has this email address." : "There are several owners.";
  return err(refusal("INVALID_PARAMS", {}, safeLine(`${problem} Nothing was changed. Name one of: ${which}.`)));
}
