export { errors, interactionPolicy, Provider, type Context, type LibraryAdapter } from "oidc-provider";
