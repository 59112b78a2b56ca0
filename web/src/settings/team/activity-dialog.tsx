import { useEffect, useId, useState } from "react";
import type { BlockId, RootId } from "../../../../src/core/base/ids.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { Result } from "../../../../src/core/base/result.ts";
import type { CommandAnswer, CommandParams } from "../../../../src/core/protocol/commands.ts";
import { auditTopics } from "../../../../src/core/rights/audit-topic.ts";
import { useApp, type ActivityThing } from "../../ui/app-context.ts";
import { Dialog } from "../../ui/dialog.tsx";
import { activityWords, actorWords, topicWords } from "./activity-words.ts";
import { AuditDownload } from "./audit-download.tsx";

type Activity = CommandAnswer<"audit.list">;
type Wanted = CommandParams<"audit.list">;
type Filter = Pick<Wanted, "person" | "topic">;

interface Opens {
  readonly onConversation: (id: RootId) => void;
  readonly onDocument: (id: BlockId) => void;
}

interface ActivityProps {
  /** The document or conversation that it is of; absent: the whole workspace. */
  readonly on?: ActivityThing;
  /** Opens what an entry is about; absent: it is all about one thing. */
  readonly opens?: Opens;
  readonly onClose: () => void;
}

/** Who did what in the workspace or to one thing, for its owners: newest first, a window at a time. */
export function ActivityDialog(props: ActivityProps) {
  const [wanted, setWanted] = useState<Wanted>({});
  const { on, opens } = props;
  const read = useActivity(on === undefined ? wanted : { ...wanted, on });
  const { person, topic } = wanted;
  const filter: Filter = { ...(person === undefined ? {} : { person }), ...(topic === undefined ? {} : { topic }) };
  const opening = (open: () => void): void => {
    props.onClose();
    open();
  };
  return (
    <Dialog title={activityTitle(on)} className="settings" onClose={props.onClose}>
      <FilterForm filter={filter} onFilter={setWanted} />
      {read === null && (
        <p className="quiet" role="status">
          Loading…
        </p>
      )}
      {read !== null && !read.ok && (
        <p className="bad" role="alert">
          {read.error.code === "FORBIDDEN" ? "Only owners see the activity." : read.error.message}
        </p>
      )}
      {read?.ok === true && (
        <>
          <Entries
            activity={read.value}
            opens={
              opens && {
                onConversation: (id) => opening(() => opens.onConversation(id)),
                onDocument: (id) => opening(() => opens.onDocument(id)),
              }
            }
          />
          <Steps activity={read.value} onStep={(step) => setWanted({ ...filter, ...step })} />
          {on === undefined && <AuditDownload />}
        </>
      )}
    </Dialog>
  );
}

function activityTitle(on: ActivityThing | undefined): string {
  return on === undefined ? "Activity" : `Activity of this ${on.type}`;
}

/** Reads a window of the log; null while it is read. */
function useActivity(wanted: Wanted): Result<Activity, Refusal> | null {
  const { client } = useApp();
  const key = JSON.stringify(wanted);
  const [read, setRead] = useState<{ readonly of: string; readonly answer: Result<Activity, Refusal> } | null>(null);
  useEffect(() => {
    let isShown = true;
    void client.call("audit.list", JSON.parse(key) as Wanted).then((answer) => {
      if (isShown) setRead({ of: key, answer });
    });
    return () => {
      isShown = false;
    };
  }, [client, key]);
  return read?.of === key ? read.answer : null;
}

function FilterForm({ filter, onFilter }: { readonly filter: Filter; readonly onFilter: (filter: Filter) => void }) {
  const { client } = useApp();
  const [people, setPeople] = useState<CommandAnswer<"person.list">["people"]>([]);
  const [personField, topicField] = [useId(), useId()];
  useEffect(() => {
    void client.call("person.list", {}).then((listed) => {
      if (listed.ok) setPeople(listed.value.people);
    });
  }, [client]);
  const choose = (key: keyof Filter, value: string): void => {
    const { [key]: _before, ...rest } = filter;
    onFilter(value === "" ? rest : { ...rest, [key]: value });
  };
  return (
    <div className="preset-form" role="group" aria-label="Filter">
      <p className="preset-field">
        <label htmlFor={personField}>Person</label>
        <select id={personField} value={filter.person ?? ""} onChange={({ target }) => choose("person", target.value)}>
          <option value="">Everybody</option>
          {people.map(({ personId, name }) => (
            <option key={personId} value={personId}>
              {name}
            </option>
          ))}
        </select>
      </p>
      <p className="preset-field">
        <label htmlFor={topicField}>About</label>
        <select id={topicField} value={filter.topic ?? ""} onChange={({ target }) => choose("topic", target.value)}>
          <option value="">Everything</option>
          {auditTopics.map((topic) => (
            <option key={topic} value={topic}>
              {topicWords[topic]}
            </option>
          ))}
        </select>
      </p>
    </div>
  );
}

function Entries({ activity, opens }: { readonly activity: Activity; readonly opens: Opens | undefined }) {
  const { entries, names, older } = activity;
  if (entries.length === 0) {
    return (
      <p className="quiet" role="status">
        {older === null ? "Nothing here." : "Nothing among these entries; look at older ones."}
      </p>
    );
  }
  return (
    <ol className="presets" aria-label="Activity, newest first">
      {entries.map((entry) => (
        <li key={entry.seq} className="preset">
          <span>
            <strong>{actorWords(entry, names)}</strong> {activityWords(entry, names)}
            {entry.outcome === "refused" && entry.rows.length === 0 && <em> (refused)</em>}
          </span>
          {opens !== undefined && <TheObject entry={entry} {...opens} />}
          <span className="quiet">
            <time dateTime={new Date(entry.at).toISOString()}>
              {new Date(entry.at).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "medium" })}
            </time>
            {entry.address !== null && `, from ${entry.address}`}
          </span>
        </li>
      ))}
    </ol>
  );
}

function TheObject(props: Opens & { readonly entry: Activity["entries"][number] }) {
  const { objectType, objectName, opens } = props.entry;
  if (objectType === null) return null;
  const name = objectName ?? `a ${objectType} that you cannot read`;
  if (opens === null) return <span>{name}</span>;
  const open = (): void =>
    objectType === "document" ? props.onDocument(opens as BlockId) : props.onConversation(opens as RootId);
  return (
    <button type="button" className="link-button" onClick={open}>
      {name}
    </button>
  );
}

function Steps({ activity, onStep }: { readonly activity: Activity; readonly onStep: (step: Wanted) => void }) {
  const { older, newer } = activity;
  if (older === null && newer === null) return null;
  return (
    <div className="button-row">
      <button
        type="button"
        className="button small"
        disabled={newer === null}
        onClick={() => newer !== null && onStep({ after: newer })}
      >
        Newer
      </button>
      <button
        type="button"
        className="button small"
        disabled={older === null}
        onClick={() => older !== null && onStep({ before: older })}
      >
        Older
      </button>
    </div>
  );
}
