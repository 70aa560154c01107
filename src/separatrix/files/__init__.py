"""Files in and out: data readers, model files, exports."""
