"""x"""
def document():
    return {}
