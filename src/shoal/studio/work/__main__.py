"""`python -m shoal.studio.work`: what a server starts for a project."""

from shoal.studio.work._loop import main

if __name__ == "__main__":
    main()
