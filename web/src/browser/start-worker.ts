interface ScriptPolicy {
  readonly createScriptURL: (address: string) => string;
}

/** What pages without trusted types lack. */
interface TrustedTypes {
  readonly createPolicy: (name: string, rules: ScriptPolicy) => ScriptPolicy;
}

let policy: ScriptPolicy | null = null;

/** Returns an address that a worker may be started from: one of this server alone. */
export function scriptAddress(address: string): string {
  const rules: ScriptPolicy = {
    createScriptURL(given) {
      if (new URL(given, location.href).origin !== location.origin) throw new TypeError("not a script of this server");
      return given;
    },
  };
  const { trustedTypes } = globalThis as { readonly trustedTypes?: TrustedTypes };
  policy ??= trustedTypes?.createPolicy("heddle-script", rules) ?? rules;
  return policy.createScriptURL(address);
}

/** Starts a worker from a module of this server. */
export function startWorker(address: string): Worker {
  return new Worker(scriptAddress(address), { type: "module" });
}
