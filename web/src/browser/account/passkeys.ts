import { ask, type Answered } from "./sign-in-api.ts";

const cancelled = "The browser gave no passkey. Nothing was changed; try again, or use your password.";

/** Whether this browser keeps passkeys, and knows their form as JSON. */
export function keepsPasskeys(): boolean {
  return typeof PublicKeyCredential === "function" && "parseCreationOptionsFromJSON" in PublicKeyCredential;
}

/** Makes a passkey of the person in this browser, and registers it under a name. */
export async function addPasskey(name: string): Promise<Answered<unknown>> {
  const options = await ask<PublicKeyCredentialCreationOptionsJSON>("/passkey/generate-register-options");
  if (!options.ok) return options;
  const made = await given(() =>
    navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options.value) }),
  );
  return made === null
    ? { ok: false, message: cancelled }
    : ask("/passkey/verify-registration", { response: made, name });
}

/** Signs in with a passkey that the person picks. */
export async function signInWithPasskey(): Promise<Answered<unknown>> {
  const options = await ask<PublicKeyCredentialRequestOptionsJSON>("/passkey/generate-authenticate-options");
  if (!options.ok) return options;
  const picked = await given(() =>
    navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options.value) }),
  );
  return picked === null
    ? { ok: false, message: cancelled }
    : ask("/passkey/verify-authentication", { response: picked });
}

/** Returns what the browser gives as JSON; null where the person gave nothing, or the time for it ran out. */
async function given(from: () => Promise<Credential | null>): Promise<unknown> {
  try {
    const credential = await from();
    return credential instanceof PublicKeyCredential ? credential.toJSON() : null;
  } catch {
    return null;
  }
}
