import type {
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
  read(request: ReadTextFileRequest): Promise<ReadTextFileResponse>;
  write(request: WriteTextFileRequest): Promise<Record<string, never>>;
}
