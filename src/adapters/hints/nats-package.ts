// The only file that imports the client of NATS, which the build bundles in its place.
export { connect, credsAuthenticator } from "@nats-io/transport-node";
