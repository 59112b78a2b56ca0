import type {
  CreateElicitationRequest,
  CreateElicitationResponse,
  ReadTextFileRequest,
  ReadTextFileResponse,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
  WriteTextFileRequest,
} from "@agentclientprotocol/sdk/unstable";

/** What an agent asks of its client. */
export interface AgentHandlers {
  update(notification: SessionNotification): void;
  permission(request: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse>;
  elicit(request: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse>;
  read(request: ReadTextFileRequest): Promise<ReadTextFileResponse>;
  write(request: WriteTextFileRequest): Promise<Record<string, never>>;
}
