#pragma once

// Gives this process, a child's, its own view of mounts, so that other tests keep theirs. Ends it where that
// cannot be.
void enter_mount_namespace(void);
