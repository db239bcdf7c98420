#ifndef TRILANE_TEST_MOUNT_NAMESPACE_H
#define TRILANE_TEST_MOUNT_NAMESPACE_H

// Gives this process, a child's, its own view of mounts, so that other tests keep theirs. Ends it where that
// cannot be.
void enter_mount_namespace(void);

#endif
