import React, { forwardRef, memo, useCallback, useState } from "react";
import type { Recipe } from "./recipe";
import { styled } from "./styled";

const Kitchen = React.lazy(() => import("./Kitchen"));

export interface StepProps {
  text: string;
  /** Minutes to wait. */
  minutes?: number;
  onDone?: (text: string) => void;
}

const Frame = styled.section`
  padding: ${(props) => (props.wide ? "2rem" : "1rem")};
`;

/** One step of a recipe. */
export const Step = memo(function StepView({ text, minutes = 0, onDone }: StepProps) {
  const finish = useCallback(() => {
    onDone?.(text);
  }, [text, onDone]);
  return (
    <li onClick={finish}>
      {text} takes {minutes} minutes and some patience.
    </li>
  );
});

export const Amount = memo(
  forwardRef<HTMLInputElement, { unit: string }>(({ unit }, ref) => (
    <label>
      {unit} <input ref={ref} type="number" />
    </label>
  )),
);

const identity = <T,>(value: T): T => value;

// Counts down while something is in the oven.
export function useTimer(start: number) {
  const [left, setLeft] = useState(start);
  function tick() {
    setLeft((now) => now - 1);
  }
  return { left, tick, reset: () => setLeft(start), stop: () => { setLeft(0); } };
}

export class Boundary extends React.Component<{ children: React.ReactNode }, { failed: boolean }> {
  state = { failed: false };

  static getDerivedStateFromError() {
    return { failed: true };
  }

  render() {
    if (this.state.failed) return <p>Burnt.</p>;
    return this.props.children;
  }
}

export const units: Record<string, string> = {
  gram: "g",
  "fluid ounce": "fl oz",
};

const routes = createRoutes({
  recipes: {
    load: async ({ id }: { id: string }) => fetchRecipe(id),
    render({ recipe }: { recipe: Recipe }) {
      return <RecipePage recipe={identity(recipe)} />;
    },
  },
});

export default function RecipePage({ recipe }: { recipe: Recipe }) {
  const { left, tick } = useTimer(recipe.minutes);
  return (
    <Frame wide data-routes={routes.length}>
      <h1 title={`Left: ${left}`}>{recipe.title}</h1>
      <Boundary>
        <ol>
          {recipe.steps.map((step) => (
            <Step key={step.text} {...step} onDone={tick} />
          ))}
        </ol>
        <Kitchen />
      </Boundary>
    </Frame>
  );
}
