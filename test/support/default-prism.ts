// Puts Prism in front of each service of the tests: `node --import ./test/support/default-prism.ts FILE`.
import { usePrism } from "./service.ts";

usePrism();
