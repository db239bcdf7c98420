// The pages of Trilane, as commands are given them: what cli/sweep/plan/page_source.ts asks for.
import type { PageSource } from "../sweep/plan/page_source.ts";
import { chosenPages, withChosenPages } from "./chosen_pages.ts";
import {
  corpusPages,
  pageFor,
  pageSizes,
  pagesFor,
  pageUnstored,
  playsVideo,
  preparePages,
  withMatchedPages,
} from "./pages.ts";

export const pages: PageSource = {
  ...{ pageFor, pagesFor, pageUnstored, corpusPages, withMatchedPages, pageSizes, playsVideo, preparePages },
  ...{ chosenPages, withChosenPages },
};
