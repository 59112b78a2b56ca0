export { createAdapterFactory } from "better-auth/adapters";
export { hashPassword } from "better-auth/crypto";
export { betterAuth } from "better-auth/minimal";
export { twoFactor } from "better-auth/plugins/two-factor";
