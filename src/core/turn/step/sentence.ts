/** Returns a failure message as a sentence: those of providers may lack a full stop. */
export function sentence(message: string): string {
  return /[.!?…]$/u.test(message) ? message : `${message}.`;
}
