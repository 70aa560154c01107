"""The tour: chapters that ask first. Every word and every right answer is made from what the library knows."""
