"""Commands that release a model or audit one."""
