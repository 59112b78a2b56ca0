export { passkey } from "@better-auth/passkey";
