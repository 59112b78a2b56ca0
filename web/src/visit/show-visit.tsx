import { useId, useMemo, useState, type SyntheticEvent } from "react";
import { createRoot } from "react-dom/client";
import { must } from "../../../src/core/base/assert.ts";
// The other styles come with the app, in their order.
import "./visit.css";
import { ShownPictures } from "../browser/shown-pictures.ts";
import { Markdown } from "../markdown/markdown.tsx";
import { pictureAddress } from "../markdown/picture.ts";
import { PicturesContext } from "../markdown/picture.tsx";
import { Screen } from "../shell/screen.tsx";
import { PasswordForm } from "./password-form.tsx";
import { readPicture, sendComment, type Opener, type Place, type Said, type VisitContent } from "./visit-api.ts";
import { useVisit } from "./use-visit.ts";

/** Draws what a share link shows. */
export function showVisit(secret: string): void {
  createRoot(must(document.getElementById("app"), "the page has a place for the app")).render(
    <VisitPage secret={secret} />,
  );
}

function VisitPage({ secret }: { readonly secret: string }) {
  const [documentId, setDocumentId] = useState<string | null>(null);
  const [opener, setOpener] = useState<Opener>({ secret });
  const seen = useVisit(opener, documentId);
  const pass = seen.type === "shown" ? seen.visit.pass : null;
  const place = useMemo(
    (): Place => ({
      ...opener,
      ...(documentId === null ? {} : { documentId }),
      ...(pass === null ? {} : { pass }),
    }),
    [opener, documentId, pass],
  );
  const pictures = useMemo(
    () =>
      new ShownPictures(async (address) => {
        const named = pictureAddress(address);
        return named?.type === "blob" ? readPicture(place, named.id) : null;
      }),
    [place],
  );
  const back = documentId !== null && (
    <button type="button" className="button small" onClick={() => setDocumentId(null)}>
      Back to the folder
    </button>
  );
  if (seen.type === "opening") return <Screen title="Opening…">{back}</Screen>;
  if (seen.type === "locked") {
    return (
      <Screen title="This link has a password">
        <PasswordForm secret={secret} message={seen.message} onProof={(proof) => setOpener({ secret, proof })} />
      </Screen>
    );
  }
  if (seen.type === "ended") {
    return (
      <Screen title="This link opens nothing">
        <p role="alert">{seen.message}</p>
        {back}
      </Screen>
    );
  }
  const { content, role, expiresAt } = seen.visit;
  return (
    <main className="visit">
      <header className="visit-head">
        {back}
        <h1>{content.title === "" ? "Untitled" : content.title}</h1>
        <p className="quiet">
          Shared with you by a link, to read{role === "commenter" ? " and comment" : ""}, until{" "}
          {new Date(expiresAt).toLocaleString(undefined, { dateStyle: "long", timeStyle: "short" })}
        </p>
        {seen.problem !== null && <p role="status">{seen.problem}</p>}
      </header>
      <h2 className="visually-hidden">What is shared</h2>
      <PicturesContext.Provider value={pictures}>
        <Content content={content} onOpen={setDocumentId} />
      </PicturesContext.Provider>
      {content.type === "document" && role === "commenter" && <Comments place={place} comments={content.comments} />}
    </main>
  );
}

function Content(props: { readonly content: VisitContent; readonly onOpen: (documentId: string) => void }) {
  const { content, onOpen } = props;
  switch (content.type) {
    case "document":
      return <Markdown text={content.text} />;
    case "conversation":
      return (
        <ol className="visit-messages">
          {content.messages.map(({ by, text }, index) => (
            <li key={index} data-by={by}>
              <p className="quiet">{by === "person" ? "Asked" : "Answer of an agent"}</p>
              <Markdown text={text} />
            </li>
          ))}
        </ol>
      );
    case "folder":
      return content.documents.length === 0 ? (
        <p>No documents are in this folder.</p>
      ) : (
        <ul className="visit-documents">
          {content.documents.map(({ id, title }) => (
            <li key={id}>
              <button type="button" className="button" onClick={() => onOpen(id)}>
                {title}
              </button>
            </li>
          ))}
        </ul>
      );
  }
}

function Comments(props: {
  readonly place: Place;
  readonly comments: readonly (Said & { readonly replies: readonly Said[] })[];
}) {
  const [name, setName] = useState("");
  const [text, setText] = useState("");
  const [said, setSaid] = useState<{ readonly words: string; readonly isProblem: boolean } | null>(null);
  const id = useId();
  const send = (event: SyntheticEvent): void => {
    event.preventDefault();
    void sendComment(props.place, name, text).then((answer) => {
      if (answer.ok) setText("");
      setSaid(
        answer.ok
          ? { words: "Your comment is sent. It is shown here in a moment.", isProblem: false }
          : { words: answer.message, isProblem: true },
      );
    });
  };
  return (
    <section className="visit-comments" aria-label="Comments">
      <h2>Comments of guests</h2>
      <p className="quiet">You see what was said with this link, and what the team answered.</p>
      <ul>
        {props.comments.map((comment, index) => (
          <li key={index}>
            <Words {...comment} />
            {comment.replies.map((reply, at) => (
              <Words key={at} {...reply} />
            ))}
          </li>
        ))}
      </ul>
      <form onSubmit={send}>
        <label htmlFor={`${id}-name`}>Your name</label>
        <input
          id={`${id}-name`}
          value={name}
          required
          maxLength={40}
          autoComplete="name"
          onChange={(event) => setName(event.target.value)}
        />
        <label htmlFor={`${id}-text`}>Comment</label>
        <textarea
          id={`${id}-text`}
          value={text}
          required
          maxLength={4_000}
          rows={4}
          onChange={(event) => setText(event.target.value)}
        />
        <button type="submit" className="button primary">
          Send the comment
        </button>
        {said !== null && <p role={said.isProblem ? "alert" : "status"}>{said.words}</p>}
      </form>
    </section>
  );
}

function Words({ by, text }: Said) {
  return (
    <div className="visit-words">
      <p className="quiet">{by}</p>
      <Markdown text={text} />
    </div>
  );
}
