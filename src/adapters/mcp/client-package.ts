// The only file that imports the MCP client package, which the build bundles in its place.
export {
  auth,
  Client,
  computeScopeUnion,
  extractWWWAuthenticateParams,
  InsufficientScopeError,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  StreamableHTTPClientTransport,
  UnauthorizedError,
} from "@modelcontextprotocol/client";
