// The only file that imports the package of the Agent Client Protocol, which the build bundles in its place.
export { agent, client, methods, ndJsonStream, RequestError } from "@agentclientprotocol/sdk/unstable";
