import { lifeMs } from "./sessions.ts";

/** The cookie that carries the secret of a session. */
export interface SessionCookie {
  readonly name: string;
  /** Returns the `Set-Cookie` value that keeps a secret. */
  keep(secret: string): string;
  /** The `Set-Cookie` value that forgets it. */
  readonly forget: string;
}

/** A page without TLS is only ever one of this machine, and a browser keeps no `Secure` cookie for it. */
export function sessionCookie(origin: string): SessionCookie {
  const isSecure = origin.startsWith("https://");
  const name = isSecure ? "__Host-heddle" : "heddle";
  const attributes = `Path=/; HttpOnly; ${isSecure ? "Secure; " : ""}SameSite=Strict`;
  return {
    name,
    keep: (secret) => `${name}=${secret}; Max-Age=${lifeMs / 1000}; ${attributes}`,
    forget: `${name}=; Max-Age=0; ${attributes}`,
  };
}
