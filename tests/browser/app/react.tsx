import { createRoot } from "react-dom/client";
import { Tokens } from "./tokens.js";
createRoot(document.querySelector("#root")!).render(<Tokens text="Hello 🦜!" />);
