from focal_app.ui.stubs import write_no_stubs

write_no_stubs()  # here, since it has to come before the first import of Gradio
