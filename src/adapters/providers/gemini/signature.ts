/** Replaces the signature of a call that this model did not make; the provider then skips the check. */
export const foreignSignature = "skip_thought_signature_validator";

/** Whether a signature is that sentinel, plain or in base64. */
export function isForeignSignature(signature: string | undefined): boolean {
  return signature === foreignSignature || signature === "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";
}
