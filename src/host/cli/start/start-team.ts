import { clientDocuments } from "../../../adapters/network/get-client-document.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { Platform } from "../../../core/port/platform.ts";
import type { Store } from "../../../core/port/store.ts";
import type { Accounts } from "../../access/accounts.ts";
import type { Configuration } from "../../data/configuration.ts";
import { isLoopback } from "../../server/http/addresses.ts";
import { loadSignIn, type SignIn } from "../../sign-in/open-sign-in.ts";
import type { OpenedWorkspace } from "./open-workspace.ts";

/** The accounts of a server that is about to listen. */
export interface Team {
  /** Opens them at the port that was found. */
  accounts(port: number): Accounts;
  /** The address at which people open the app, once it listens. */
  address(): string;
  /** Makes the one-time link of the first owner; null: there is an owner. */
  ownerLink(): Promise<Result<string | null, Refusal>>;
  close(): void;
}

/** Loads how people sign in. */
export async function loadTeam(
  { workspace, sealed }: Pick<OpenedWorkspace, "workspace" | "sealed">,
  {
    store,
    configuration,
    platform,
  }: {
    readonly store: Store;
    readonly configuration: Pick<Configuration, "publicUrl" | "webHosts" | "signOn">;
    readonly platform: Platform;
  },
): Promise<Result<Team | null, Refusal>> {
  const { team: keeper, tokens } = workspace;
  const { publicUrl, signOn } = configuration;
  if (keeper === null) return ok(null);
  const loaded = await loadSignIn({
    store,
    keeper,
    tokens,
    documents: clientDocuments({ namedHosts: configuration.webHosts }),
    sealed,
    platform,
    workspace,
    ...(signOn === undefined ? {} : { signOn }),
  });
  if (!loaded.ok) return loaded;
  let signIn: SignIn | null = null;
  return ok({
    accounts(port) {
      // Browsers keep passkeys for names, not for addresses such as 127.0.0.1.
      signIn = loaded.value(publicUrl ?? `http://localhost:${port}`);
      return signIn;
    },
    address: () => `${signIn?.parts.origin ?? ""}/`,
    ownerLink: async () => (signIn === null || signIn.hasOwner ? ok(null) : signIn.link({ type: "owner" })),
    close: () => signIn?.close(),
  });
}

/** Refuses a team that others would reach without TLS, and the settings of a team without one. */
export function teamRefusal(isTeam: boolean, { host, publicUrl, cluster, signOn }: Configuration): Refusal | null {
  if (isTeam && cluster !== undefined && publicUrl === undefined) {
    const message =
      "People of a team reach all nodes by one address. Put a proxy with TLS in front, " +
      "and name its address: --public-url https://heddle.example.org";
    return refusal("INVALID_PARAMS", {}, message);
  }
  if (!isTeam && publicUrl !== undefined) {
    const message = "--public-url is the address of a team. Add --team, or leave --public-url out.";
    return refusal("INVALID_PARAMS", { public_url: publicUrl }, message);
  }
  if (!isTeam && signOn !== undefined) {
    const message = "--oidc-issuer says where the people of a team sign in. Add --team, or leave --oidc-issuer out.";
    return refusal("INVALID_PARAMS", { oidc_issuer: signOn.issuer }, message);
  }
  if (!isTeam || isLoopback(host) || publicUrl !== undefined) return null;
  const message =
    `--team on ${host} would send passwords over an unencrypted connection. Put a proxy with TLS in front, ` +
    "and name its address: --public-url https://heddle.example.org";
  return refusal("INVALID_PARAMS", { host }, message);
}

/** Refuses data that has accounts for a server on which everyone with the token may do everything. */
export async function accountsRefusal(isTeam: boolean, store: Store): Promise<Result<void, Refusal>> {
  if (isTeam || (await store.rights(0)).length === 0) return ok(undefined);
  const message =
    "This workspace has people with accounts. Start it with --team; without it, their rights would not count.";
  return err(refusal("FORBIDDEN", {}, message));
}
