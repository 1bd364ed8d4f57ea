// Puts Prism in front of each service that a test starts: `node --import ./test/support/default-prism.ts FILE`.
import { usePrism } from "./service.ts";

usePrism();
