"""What all tests share: this folder is on the path of imports (public.py)."""
