/** Stands for the signature of a call that this model did not make; the provider takes it and asks for no proof. */
export const foreignSignature = "skip_thought_signature_validator";

/** Whether a signature is that sentinel, as it is or as clients write bytes. */
export function isForeignSignature(signature: string | undefined): boolean {
  return signature === foreignSignature || signature === "c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I=";
}
