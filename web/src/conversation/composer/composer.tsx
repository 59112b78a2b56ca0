import { type DragEvent, memo, useRef } from "react";
import type { WorkspaceView } from "../../../../src/client/base/types.ts";
import { isMac, shownKeys } from "../../browser/keys.ts";
import { useOwnRole } from "../../ui/lock/use-own-role.ts";
import { useObservable } from "../../ui/use-observable.ts";
import { noSendWords } from "../../view/words/own-role.ts";
import { dragType } from "../../documents/named-document.ts";
import { folderFile } from "../../files/folder-file.ts";
import { useApp } from "../../ui/app-context.ts";
import { type Attachments, isUploading } from "../kept/attachments.ts";
import type { Conversation } from "../state/conversation.ts";
import type { Presets } from "../ask/presets.ts";
import { AttachButton, AttachmentsRow } from "./attachments-row.tsx";
import { MessageField } from "./message-field.tsx";
import { PastedRow } from "./pasted-row.tsx";
import { ModelPicker, PresetPicker, ReplyCountPicker } from "./pickers.tsx";
import type { Mentioned } from "./document-mentions.tsx";
import { DocumentMentions, ServerPrompts } from "./lazy-offers.tsx";
import { resourceFiles } from "./server-offers.ts";
import { documentsDropped } from "./dropped-documents.ts";
import { CancelButton, DeliverMenu, SendButton } from "./send-buttons.tsx";
import { WorksOnChip, type WorksOn } from "./works-on-chip.tsx";

/** The activity of the run at the end of the branch. */
export type ComposerWork = "none" | "running" | "cancelling";

interface ComposerProps extends WorksOn {
  readonly conversation: Conversation;
  /** Whether the last message has no reply, so that one can be requested without text. */
  readonly unanswered: boolean;
  readonly work: ComposerWork;
  readonly modelId: string;
  readonly models: WorkspaceView["models"];
  readonly presets: Presets;
}

/**
 * The composer. Typing is never blocked: while the agent works, a message steers it, waits for its end, or interrupts it. Only the composer subscribes
 * to the draft, so that a key press renders nothing else.
 */
export const Composer = memo(function Composer(props: ComposerProps) {
  const { conversation, work, presets } = props;
  const { draft, attachments } = conversation;
  const field = useRef<HTMLTextAreaElement>(null);
  const { text, pasted } = useObservable(draft);
  const files = useObservable(attachments);
  const active = work !== "none";
  const isEmpty = text.trim() === "" && pasted === "" && files.length === 0;
  const asksAgain = isEmpty && props.unanswered && !active;
  const forbidden = useNoSendWords(conversation);
  const focusField = (): void => field.current?.focus();
  const take = useTakeDocuments(props, attachments);
  return (
    <form
      className="composer"
      aria-label="New message"
      onSubmit={(event) => {
        event.preventDefault();
        if (forbidden === null) conversation.send();
      }}
      onDragOver={allowFiles}
      onDrop={(event) => {
        const documents = documentsDropped(event.dataTransfer);
        if (event.dataTransfer.files.length === 0 && documents.length === 0) return;
        event.preventDefault();
        attachments.add([...event.dataTransfer.files]);
        take(documents);
      }}
    >
      <PastedRow
        text={pasted}
        onInsert={() => {
          draft.insertPasted();
          focusField();
        }}
        onRemove={() => {
          draft.setPasted("");
          focusField();
        }}
      />
      <div className="context-row">
        <WorksOnChip
          worksOn={props.worksOn}
          canvasId={props.canvasId}
          canvasTitle={props.canvasTitle}
          onWorkOn={props.onWorkOn}
        />
        <AttachmentsRow files={files} onRemove={attachments.remove} />
      </div>
      <ServerPrompts field={field} draft={draft} attachments={attachments} />
      <DocumentMentions field={field} draft={draft} onChoose={(document) => take([document])} />
      <MessageField
        conversation={conversation}
        field={field}
        words={{ text, pasted }}
        active={active}
        asksAgain={asksAgain}
        forbidden={forbidden}
      />
      <div className="composer-row">
        <AttachButton onAdd={attachments.add} />
        <ModelPicker modelId={props.modelId} models={props.models} onModel={conversation.setModel} />
        <ReplyCountPicker replyCount={conversation.replyCount} presets={presets} />
        <PresetPicker presets={presets} />
        <span className="composer-hint">{shownKeys("Shift+Enter", isMac())} new line</span>
        {active && <CancelButton cancelling={work === "cancelling"} onCancel={conversation.cancel} />}
        {active && (
          <DeliverMenu disabled={forbidden !== null || isEmpty || isUploading(files)} onSend={conversation.send} />
        )}
        <SendButton
          active={active}
          asksAgain={asksAgain}
          disabled={isUploading(files) || (isEmpty && !asksAgain)}
          forbidden={forbidden}
        />
      </div>
    </form>
  );
});

/** Says why the person cannot write in the conversation; null: they can. */
function useNoSendWords({ rootId }: Conversation): string | null {
  return noSendWords(useOwnRole(rootId === null ? null : { type: "conversation", id: rootId }));
}

function allowFiles(event: DragEvent): void {
  const { types } = event.dataTransfer;
  if (types.includes("Files") || types.includes(dragType)) event.preventDefault();
}

/** Takes documents for the message: a canvas is what the agent works on, a file goes with the message as it is now. */
function useTakeDocuments({ onWorkOn }: WorksOn, attachments: Attachments): (documents: readonly Mentioned[]) => void {
  const { client, tell } = useApp();
  return (documents) => {
    for (const document of documents) {
      if (document.type === "canvas") onWorkOn(document.id);
      else if (document.type === "resource") {
        void resourceFiles(client, document).then((found) => {
          if (Array.isArray(found)) attachments.add(found);
          else tell(found ?? "The resource could not be attached. Check the connection and try again.");
        });
      } else {
        const signal = new AbortController().signal;
        void folderFile(client, { ...document, signal }).then((found) => {
          if (found instanceof File) attachments.add([found]);
          else tell(found ?? "The file could not be attached. Check the connection and try again.");
        });
      }
    }
  };
}
