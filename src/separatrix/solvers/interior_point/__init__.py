"""The primal-dual interior point."""
