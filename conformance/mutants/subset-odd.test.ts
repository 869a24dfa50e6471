import { selectTags, testMutantsOf } from '../testing/mutant-subset.ts';

testMutantsOf(selectTags(1));
