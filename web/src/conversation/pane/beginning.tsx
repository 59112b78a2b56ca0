import { ideasFor } from "../../view/words/ideas.ts";

/** The suggestions in a conversation without messages. */
export function Beginning(props: {
  readonly canvasTitle: string | null;
  readonly modelId: string;
  readonly onPick: (text: string) => void;
}) {
  const canvas = props.canvasTitle;
  const ideas = ideasFor(canvas, props.modelId);
  return (
    <div className="empty beginning">
      <h2>{canvas === null ? "Ask anything" : `Ask for a change in ${canvas}`}</h2>
      <p>
        {canvas === null
          ? "To let the agent write a document, choose or create a canvas first."
          : "You see each step as it happens, and you can type in the canvas at the same time."}
      </p>
      <ul className="ideas">
        {ideas.map((idea) => (
          <li key={idea}>
            <button
              type="button"
              className="idea"
              onClick={() => {
                props.onPick(idea);
                document.querySelector<HTMLTextAreaElement>("[aria-label='Message']")?.focus();
              }}
            >
              {idea}
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}
